// Wraps a GPU so that its device can be lost on request, as after a driver reset or a removed card: `device.lost` resolves with
// the reason `unknown`, not `destroyed`.

export interface LossyGpu {
  gpu: GPU;
  /** Loses the newest device after `submits` further submits, in the middle of its work. */
  loseAfter(submits: number): void;
  /** Number of devices lost so far. */
  lost(): number;
}

const MESSAGE = 'the driver was reset';

export function lossyGpu(real: GPU): LossyGpu {
  let left = Number.POSITIVE_INFINITY;
  let losses = 0;
  let lose: () => void = () => {};
  const bound = (target: object, key: string | symbol) => {
    const value = Reflect.get(target, key, target) as unknown;
    return typeof value === 'function' ? value.bind(target) : value;
  };
  const wrapQueue = (queue: GPUQueue) =>
    new Proxy(queue, {
      get(target, key) {
        if (key !== 'submit') return bound(target, key);
        return (buffers: Iterable<GPUCommandBuffer>) => {
          target.submit(buffers);
          if (--left < 0) lose();
        };
      },
    });
  const wrapDevice = (device: GPUDevice) => {
    const queue = wrapQueue(device.queue);
    let tell: (info: GPUDeviceLostInfo) => void = () => {};
    const gone = new Promise<GPUDeviceLostInfo>((resolve) => {
      tell = resolve;
    });
    lose = () => {
      left = Number.POSITIVE_INFINITY;
      losses++;
      // destroy() rejects pending work, as on a lost device; only the reported reason must be changed.
      tell({ reason: 'unknown', message: MESSAGE } as GPUDeviceLostInfo);
      device.destroy();
    };
    void device.lost.then((info) => tell(info));
    return new Proxy(device, {
      get: (target, key) => (key === 'queue' ? queue : key === 'lost' ? gone : bound(target, key)),
    });
  };
  const wrapAdapter = (adapter: GPUAdapter) =>
    new Proxy(adapter, {
      get: (target, key) =>
        key === 'requestDevice'
          ? async (descriptor?: GPUDeviceDescriptor) => wrapDevice(await target.requestDevice(descriptor))
          : bound(target, key),
    });
  const gpu = new Proxy(real, {
    get: (target, key) =>
      key === 'requestAdapter'
        ? async (options?: GPURequestAdapterOptions) => {
            const adapter = await target.requestAdapter(options);
            return adapter && wrapAdapter(adapter);
          }
        : bound(target, key),
  });
  return {
    gpu,
    loseAfter(submits) {
      left = submits;
    },
    lost: () => losses,
  };
}
