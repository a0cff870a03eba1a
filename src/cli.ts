// Which commands are there, and which flags have they?
import yargs, { type Argv } from "yargs";
import { type Output, standardOutput } from "./commands/output.ts";
