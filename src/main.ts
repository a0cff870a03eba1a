#!/usr/bin/env node
// Runs the command line and sets the exit code.
import { setFlagsFromString } from "node:v8";

// V8 would let its heap grow to three times what is in use, and fills it once, at the start. Said before anything else
// is loaded, this costs the start some tenths of a second and a change nothing.
setFlagsFromString("--optimize-for-size");

const { runCommandLine } = await import("./cli.ts");

process.exitCode = await runCommandLine(process.argv.slice(2));
