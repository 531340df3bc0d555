"""Maps by simulation where a discussion of two beats its better seat alone."""
