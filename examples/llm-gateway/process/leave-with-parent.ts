/** Ends this process with its parent or on a signal, so that no run leaves anything behind. */
export function leaveWithParent(): void {
  const leave = () => process.exit(0);
  process.once("SIGINT", leave);
  process.once("SIGTERM", leave);
  process.once("disconnect", leave);
}
