"""The revisions, oldest first by their numbers. Stores are only ever migrated forward."""
