"""Drawing of any result: tables, figures and discussions, as text, HTML, LaTeX, SVG and PDF."""
