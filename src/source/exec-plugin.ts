// What does a kubeconfig say of a program that gives credentials?
import type { Place } from "../errors.ts";

/** The versions that can be spoken with a plugin; alpha versions are gone from Kubernetes. */
export const PLUGIN_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;

export type PluginVersion = (typeof PLUGIN_VERSIONS)[number];

/** Whether standard input is handed on: never, where it is a terminal, or nothing works without a terminal. */
export const INTERACTIVE_MODES = ["Never", "IfAvailable", "Always"] as const;

export type InteractiveMode = (typeof INTERACTIVE_MODES)[number];

export interface ExecPlugin {
  /** Of the field, for messages. */
  readonly place: Place;
  readonly apiVersion: PluginVersion;
  /** Absolute, or a bare name that is looked up in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  /** Comes on top of our own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Shown to people when the command is missing. */
  readonly installHint: string;
  readonly interactiveMode: InteractiveMode;
  /** The cluster as the plugin is told of it; undefined: it is told nothing. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}
