"""Connected applications: their requests for approval, and their credentials."""
