"""What people take away: the incident sheet of a round as a PDF, and rounds as a table for a spreadsheet."""
