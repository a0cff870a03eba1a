// How does a test get a credential plugin?
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecPlugin } from "../../src/source/exec-plugin.ts";

export interface TestPlugin {
  readonly command: string;
  /** Says this from now on: an object as JSON, a text as it is. */
  says(answer: unknown): void;
  /** How it was called, each time. */
  calls(): readonly { readonly args: readonly string[]; readonly info: unknown; readonly extra: string }[];
}

/** Writes the plugin `login.cjs` into a folder. It is slow enough for others to ask meanwhile. */
export function writePlugin(folder: string, before = ""): TestPlugin {
  const command = join(folder, "login.cjs");
  const calls = join(folder, "calls");
  const answer = join(folder, "answer");
  const script = `#!${process.execPath}
const fs = require("node:fs");
const { KUBERNETES_EXEC_INFO, EXTRA = "" } = process.env;
const call = { args: process.argv.slice(2), info: JSON.parse(KUBERNETES_EXEC_INFO), extra: EXTRA };
fs.appendFileSync(${JSON.stringify(calls)}, JSON.stringify(call) + "\\n");
${before}
process.stdout.write(fs.readFileSync(${JSON.stringify(answer)}, "utf8"));
`;
  writeFileSync(command, script);
  chmodSync(command, 0o755);
  return {
    command,
    says: (said) => writeFileSync(answer, typeof said === "string" ? said : JSON.stringify(said)),
    calls: () => (existsSync(calls) ? parseLines(readFileSync(calls, "utf8")) : []),
  };
}

function parseLines(text: string) {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** What a kubeconfig would say of a plugin. */
export function describePlugin(command: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
  return {
    place: { source: "kubeconfig", field: "users[0].user.exec" },
    apiVersion: "client.authentication.k8s.io/v1",
    command,
    args: [],
    env: {},
    installHint: "",
    interactiveMode: "Never",
    ...more,
  };
}

/** An answer of the version that `describePlugin` asks for. */
export function credentialOf(status: Readonly<Record<string, string>>) {
  return { kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", status };
}
