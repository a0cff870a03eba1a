// How is something shown beside a line of a pull request on GitHub?

export interface Annotation {
  readonly severity: "error" | "warning" | "notice";
  /** Relative to the repository; absent where it is about none. */
  readonly file?: string;
  /** One-based; absent where it is about none. */
  readonly line?: number;
  readonly title: string;
  readonly message: string;
}

/** A workflow command: the runner takes it from what a step prints. */
export function printAnnotation({ severity, file, line, title, message }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${escapeProperty(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${escapeProperty(title)}`,
  ];
  return `::${severity} ${properties.join(",")}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, "%3A").replace(/,/g, "%2C");
}
