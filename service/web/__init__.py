"""What the supervisor's page needs beyond the table's state: search, figures, decisions in forms, languages."""
