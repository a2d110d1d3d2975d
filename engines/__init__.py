"""The rules of the games, as values and pure functions; they import no other room."""
