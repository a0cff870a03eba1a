#!/usr/bin/env node
// Runs the command line and sets the exit code.
import { restrainHeap, tidyHeap } from "./heap.ts";

/** Milliseconds until the start is over, on all but the largest clusters. */
const START = 15_000;

restrainHeap();
setTimeout(tidyHeap, START).unref();

const { runCommandLine } = await import("./cli.ts");

process.exitCode = await runCommandLine(process.argv.slice(2));
