// Runs a credential plugin of a kubeconfig and keeps its credentials until they expire.
import { X509Certificate } from "node:crypto";
import { execa } from "execa";
import { escapeForeign } from "../api/quote.ts";
import { InputError } from "../errors.ts";
import { type ExecCredential, readExecAnswer } from "./exec-answer.ts";
import type { ExecPlugin } from "./exec-plugin.ts";
import type { Timing } from "./timing.ts";

/** Milliseconds that a plugin may take. */
const TIME_LIMIT = 60_000;

/** How one run of a plugin ended, as client-go counts it (plugin/pkg/client/auth/exec/metrics.go). */
export interface PluginCall {
  /** Exit code of the plugin: -1 after a signal, 1 where it did not start. */
  readonly code: number;
  readonly status: "no_error" | "plugin_execution_error" | "plugin_not_found_error" | "client_internal_error";
  /** Validity of the client certificate that it returned, in milliseconds since 1970. */
  readonly certificate?: { readonly notBefore: number; readonly notAfter: number };
}

/** What a plugin meets when it runs. */
export interface PluginSurroundings {
  readonly timing: Timing;
  /** Standard input is a terminal. */
  readonly terminal: boolean;
  /** Called after each run. */
  readonly called?: (call: PluginCall) => void;
}

/** Keeps what a plugin said until that expires. However many ask at once, the plugin runs once. */
export class PluginCredentials {
  readonly #plugin: ExecPlugin;
  readonly #surroundings: PluginSurroundings;
  #known: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(plugin: ExecPlugin, surroundings: PluginSurroundings) {
    this.#plugin = plugin;
    this.#surroundings = surroundings;
  }

  /** Rejects with InputError when the plugin fails. */
  async current(): Promise<ExecCredential> {
    if (this.#known && Date.now() < (this.#known.expires ?? Number.POSITIVE_INFINITY)) return this.#known;
    this.#running ??= this.#run();
    return await this.#running;
  }

  /** The next question runs the plugin again, unless it runs already. */
  expire(): void {
    this.#known = undefined;
  }

  async #run(): Promise<ExecCredential> {
    try {
      this.#known = await runPlugin(this.#plugin, this.#surroundings);
      return this.#known;
    } finally {
      this.#running = undefined;
    }
  }
}

/**
 * Runs a plugin once. What it writes to standard error goes to ours, as under kubectl; no error repeats it. Rejects with
 * InputError.
 */
export async function runPlugin(plugin: ExecPlugin, surroundings: PluginSurroundings): Promise<ExecCredential> {
  const { place, command, args, env, interactiveMode } = plugin;
  const { terminal, timing, called = () => {} } = surroundings;
  if (interactiveMode === "Always" && !terminal) throw new InputError(place, `${command} needs a terminal`);
  const interactive = interactiveMode !== "Never" && terminal;
  const running = execa(command, [...args], {
    env: { ...env, KUBERNETES_EXEC_INFO: describeUs(plugin, interactive) },
    stdin: interactive ? "inherit" : "ignore",
    stderr: "inherit",
    reject: false,
  });
  let cancel = () => {};
  // A child of a killed plugin may hold its output open for ever.
  const late = new Promise<undefined>((resolve) => {
    cancel = timing.after(TIME_LIMIT, () => resolve(undefined));
  });
  const result = await Promise.race([running, late]);
  cancel();
  if (!result) {
    running.kill("SIGKILL");
    called({ code: -1, status: "plugin_execution_error" });
    throw new InputError(place, `${command}: gave no answer within ${TIME_LIMIT / 1000} seconds`);
  }
  if (result.failed) {
    called(failedCall(result));
    throw new InputError(place, `${command}: ${describeFailure(result, plugin)}`);
  }
  let validity: Pick<PluginCall, "certificate"> = {};
  try {
    const credential = readExecAnswer(result.stdout, plugin);
    validity = validityOf(credential);
    return credential;
  } finally {
    called({ code: 0, status: "no_error", ...validity });
  }
}

function failedCall({ code, exitCode, signal }: Failure): PluginCall {
  if (exitCode !== undefined) return { code: exitCode, status: "plugin_execution_error" };
  if (signal !== undefined) return { code: -1, status: "plugin_execution_error" };
  return { code: 1, status: code === "ENOENT" ? "plugin_not_found_error" : "client_internal_error" };
}

/** The validity of the first certificate; nothing where it cannot be parsed, which the TLS connection reports. */
function validityOf({ certificate }: ExecCredential): Pick<PluginCall, "certificate"> {
  if (!certificate) return {};
  try {
    const { validFrom, validTo } = new X509Certificate(certificate.certificate);
    return { certificate: { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) } };
  } catch {
    return {};
  }
}

function describeUs({ apiVersion, cluster }: ExecPlugin, interactive: boolean): string {
  return JSON.stringify({ kind: "ExecCredential", apiVersion, spec: { ...(cluster && { cluster }), interactive } });
}

interface Failure {
  readonly code?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
}

function describeFailure({ code, exitCode, signal }: Failure, { installHint }: ExecPlugin): string {
  if (code === "ENOENT") return `not found${installHint === "" ? "" : `: ${escapeForeign(installHint)}`}`;
  if (exitCode !== undefined) return `failed with exit code ${exitCode}`;
  return `failed: ${signal ?? code ?? "no reason given"}`;
}
