// Keeps a device's first error. WebGPU reports errors late and elsewhere, so a result can be trusted only when the
// checks of everything before it have come back clean. After the first error the device is finished: the contents of
// its buffers are unknown.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';

export class Health {
  private failure: DeviceError | undefined;
  private checks: Promise<void>[] = [];

  constructor(
    private readonly device: GPUDevice,
    private readonly name: string,
  ) {
    device.addEventListener('uncapturederror', (event) => this.fail(event.error.message));
    device.lost.then(({ reason, message }) => {
      if (reason === 'destroyed') this.close();
      this.failure ??= new DeviceError(
        `WebGPU device ${name}: the GPU was lost (${message})`,
        'Open a new device and resume from the last checkpoint; if it happens again, use a smaller batch or the CPU device.',
      );
    });
  }

  /** Throws the device's error, if there is one. */
  assert(): void {
    if (this.failure) throw this.failure;
  }

  fail(message: string): void {
    this.failure ??= new DeviceError(
      `WebGPU device ${this.name}: ${message}`,
      'Open a new device with a smaller batch, or use the CPU device; if it happens again, report it as a bug.',
    );
  }

  close(): void {
    this.failure ??= new DeviceError(`WebGPU device ${this.name}: the device was closed`, 'Open a new device.');
  }

  /** Closes the innermost error scope; an error that it caught fails the device, with the message that `say` makes of
   *  it. */
  watch(say: (message: string) => string = (message) => message): void {
    const check = this.device.popErrorScope().then(
      (error) => {
        if (error) this.fail(say(error.message));
        this.checks = this.checks.filter((other) => other !== check);
      },
      () => {}, // the device was lost, which `lost` reports
    );
    this.checks.push(check);
  }

  /** Resolves with `done` once all pending checks have come back; throws the device's error if there is one. */
  async settle<T>(done: Promise<T>): Promise<T> {
    try {
      const result = await done;
      if (this.checks.length > 0) await Promise.all(this.checks);
      this.assert();
      return result;
    } catch (cause) {
      // A lost device rejects what is pending before it says why.
      if (!this.failure) await Promise.race([this.device.lost, new Promise((resolve) => setTimeout(resolve, 50))]);
      this.assert();
      this.fail(cause instanceof Error ? cause.message : String(cause));
      throw this.failure;
    }
  }
}
