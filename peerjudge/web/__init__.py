"""Pages in a browser: admission, connections, templates and open runs, which several features share."""
