"""Side wagers: Bonus and Tie on the tiles, Big and Small on the dice."""
