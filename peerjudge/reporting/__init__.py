"""Drawing of any result: tables, figures, discussions and pages, as text, HTML, LaTeX, SVG and PDF."""
