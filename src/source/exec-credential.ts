// Which credentials does a plugin give us, and until when?
import { execa } from "execa";
import { escapeForeign } from "../api/quote.ts";
import { InputError } from "../errors.ts";
import { type ExecCredential, readExecAnswer } from "./exec-answer.ts";
import type { ExecPlugin } from "./exec-plugin.ts";
import type { Timing } from "./timing.ts";

/** Milliseconds that a plugin may take. */
const TIME_LIMIT = 60_000;

/** What a plugin meets when it runs. */
export interface PluginSurroundings {
  readonly timing: Timing;
  /** Standard input is a terminal. */
  readonly terminal: boolean;
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
  const { terminal, timing } = surroundings;
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
    throw new InputError(place, `${command}: gave no answer within ${TIME_LIMIT / 1000} seconds`);
  }
  if (result.failed) throw new InputError(place, `${command}: ${describeFailure(result, plugin)}`);
  return readExecAnswer(result.stdout, plugin);
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
