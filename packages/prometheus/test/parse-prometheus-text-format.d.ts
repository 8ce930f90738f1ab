declare module "parse-prometheus-text-format" {
  /** One family of metrics, as the parser gives it. */
  export interface ParsedFamily {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly {
      readonly value?: string;
      readonly labels?: Readonly<Record<string, string>>;
    }[];
  }

  // biome-ignore lint/style/noDefaultExport: that is how the package exports it.
  export default function parsePrometheusTextFormat(text: string): readonly ParsedFamily[];
}
