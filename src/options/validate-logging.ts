// What is wrong with the logging section?
import type { Config } from "./config.ts";
import { printDuration } from "./duration.ts";
import { gateEnabled } from "./feature-gates.ts";
import { forbidden, invalid, required } from "./field-problem.ts";

const HIGHEST_LEVEL = 2147483647;

/**
 * All problems of `logging`, below the given root. kube-proxy validates logging twice: alone with root `logging` when
 * it sets up its log, then within the whole configuration.
 */
export function validateLogging(config: Config, root: string): readonly string[] {
  const problems: string[] = [];
  const format = config["logging.format"];
  if (config["logging.flushFrequency"] <= 0n) {
    const value = printDuration(config["logging.flushFrequency"]);
    problems.push(invalid(`${root}.flushFrequency`, value, "Must be greater than zero"));
  }
  if (format !== "text" && format !== "json") {
    problems.push(invalid(`${root}.format`, format, "Unsupported log format"));
  }
  problems.push(...validateLevel(`${root}.verbosity`, config["logging.verbosity"]));
  if (config["logging.vmodule"].length > 0 && format !== "text") {
    problems.push(forbidden(`${root}.vmodule`, "Only supported for text log format"));
  }
  config["logging.vmodule"].forEach(({ filePattern, verbosity }, index) => {
    const path = `${root}.vmodule[${index}]`;
    if (filePattern === "") problems.push(required(path, "File pattern must not be empty"));
    if (/[=,]/.test(filePattern)) {
      problems.push(invalid(path, filePattern, "File pattern must not contain equal sign or comma"));
    }
    problems.push(...validateLevel(path, verbosity));
  });
  return [...problems, ...validateFormatOptions(config, `${root}.options`)];
}

function validateLevel(path: string, level: number): readonly string[] {
  return level > HIGHEST_LEVEL ? [invalid(path, level, `Must be <= ${HIGHEST_LEVEL}`)] : [];
}

function validateFormatOptions(config: Config, root: string): readonly string[] {
  if (gateEnabled(config.featureGates, "LoggingAlphaOptions")) return [];
  const disabled = (path: string) => forbidden(`${root}.${path}`, "Feature LoggingAlphaOptions is disabled");
  return (["text", "json"] as const).flatMap((format) => [
    ...(config[`logging.options.${format}.splitStream`] ? [disabled(`${format}.splitStream`)] : []),
    ...(config[`logging.options.${format}.infoBufferSize`] === "0" ? [] : [disabled(`${format}.infoBufferSize`)]),
  ]);
}
