// The entry of the worker that lays graphs out: a request in, a layout out, in the same order.
import { type LayoutRequest, laidOut } from './graph-layout.ts';

self.onmessage = ({ data }: MessageEvent<LayoutRequest>) => self.postMessage(laidOut(data));
