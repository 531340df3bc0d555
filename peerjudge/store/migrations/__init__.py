"""How older stores become stores of today: one revision per change of the tables (Alembic)."""
