"""An independent witness: signs a table's checkpoints as long as each extends the one before; and asking witnesses."""
