"""Reading dice: values, roles, and whether they lean."""
