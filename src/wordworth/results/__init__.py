"""Results as typed data: what a task records (`findings`), what a study returns and saves (`run`), the columns."""
