#!/usr/bin/env node
// Runs the command line and sets the exit code.
import { stopCompilers } from "./compilers.ts";
import { restrainHeap, tidyWhenQuiet } from "./heap.ts";

/** Milliseconds between two looks whether there is nothing to do. */
const LOOK = 10_000;

stopCompilers();
restrainHeap();
tidyWhenQuiet(LOOK);

const { runCommandLine } = await import("./cli.ts");

process.exitCode = await runCommandLine(process.argv.slice(2));
