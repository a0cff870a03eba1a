#!/usr/bin/env node
// Runs the command line and sets the exit code.
import { runCommandLine } from "./cli.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
