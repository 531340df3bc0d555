"""Results of the analysis: one function per question, for the command line and for Python.

Each function reads a source and returns a result, which is printed, written as JSON, and shown in a
notebook. The modules are imported when they are used.
"""
