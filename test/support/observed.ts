// What was a watcher of the loop told?
import type { FlowReport, Observer, PassReport } from "../../src/sync/observer.ts";

/** Writes everything down. */
export class Observed implements Observer {
  readonly calls: string[] = [];
  readonly reports: PassReport[] = [];
  readonly flows: FlowReport[] = [];

  began(family: string): void {
    this.calls.push(`began ${family}`);
  }

  changed(kind: string, { arrived, pending }: { readonly arrived: number; readonly pending: number }): void {
    this.calls.push(`changed ${kind} ${arrived} ${pending}`);
  }

  queued(family: string): void {
    this.calls.push(`queued ${family}`);
  }

  progressed(family: string, { done, of, rules }: { done: number; of: number; rules: number }): void {
    this.calls.push(`progressed ${family} ${done}/${of} ${rules}`);
  }

  passed(family: string, report: PassReport): void {
    this.calls.push(`passed ${family}`);
    this.reports.push(report);
  }

  flushed(family: string, report: FlowReport): void {
    this.calls.push(`flushed ${family}`);
    this.flows.push(report);
  }
}
