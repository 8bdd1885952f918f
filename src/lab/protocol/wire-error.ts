// Errors across the worker boundary: structured clone drops a class and its remedy, so both are written out and rebuilt.
import {
  DeviceError,
  FormatError,
  LabError,
  ShapeError,
  SpecError,
  StoppedError,
} from '@projected-grpo-lab/base/errors.ts';
import type { ErrorForms } from '../../lib/rpc.ts';
import { StorageError } from '../../storage/kv.ts';

export interface WireError {
  name: string;
  message: string;
  remedy: string;
  stack: string | null;
}

const CLASSES: Readonly<Record<string, new (message: string, remedy: string) => LabError>> = {
  ShapeError,
  DeviceError,
  FormatError,
  SpecError,
  StoppedError,
  StorageError,
};

export function toWireError(error: unknown): WireError {
  if (error instanceof LabError) {
    // Minification renames a class differently in page and worker, so error.name cannot be used.
    const name = Object.entries(CLASSES).find(([, Class]) => error instanceof Class)?.[0] ?? error.name;
    return { name, message: error.message, remedy: error.remedy, stack: error.stack ?? null };
  }
  const plain = error instanceof Error ? error : new Error(String(error));
  return {
    name: plain.name,
    message: plain.message,
    remedy: 'This is a fault in the lab itself: reload the page, and report the message if it comes back.',
    stack: plain.stack ?? null,
  };
}

/** An error of the same class as the one thrown in the worker, with the worker's stack. */
export function fromWireError(wire: WireError): LabError {
  const Class = CLASSES[wire.name] ?? LabError;
  const error = new Class(wire.message, wire.remedy);
  if (wire.stack) error.stack = wire.stack;
  return error;
}

/** Formats of errors across the port to a worker and back. */
export const WORKER_ERRORS: ErrorForms = {
  write: toWireError,
  read: (written: unknown) => fromWireError(written as WireError),
};
