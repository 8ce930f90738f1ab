/** A file of the repository that is written by a tool. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}
