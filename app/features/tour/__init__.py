"""The tour: steps done on the real engine, how each is ticked, and quizzes before them."""
