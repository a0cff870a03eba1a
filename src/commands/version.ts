// Which version is this?
import { readFileSync } from "node:fs";

/** One line, in the shape that kube-proxy prints its own. */
export function printVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { readonly version: string };
  return `fairlead v${version}`;
}
