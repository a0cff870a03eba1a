#!/usr/bin/env node
// Runs the command line and sets the exit code.
import { restrainHeap, tidyHeap, whenQuiet } from "./heap.ts";

/** Milliseconds between two looks whether the start is over. */
const LOOK = 10_000;

restrainHeap();
whenQuiet(LOOK, tidyHeap);

const { runCommandLine } = await import("./cli.ts");

process.exitCode = await runCommandLine(process.argv.slice(2));
