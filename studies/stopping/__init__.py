"""Study of the stopping rules of `peerjudge run --until`: error rates, and questions that they save."""
