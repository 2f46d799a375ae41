"""The house's own markers: chung, off buttons and plus/minus buttons, learnt from one picture and detected later."""
