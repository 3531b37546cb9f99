import { useSyncExternalStore } from 'react'

/** A value that components can follow. */
export class Value<T> {
  private readonly listeners = new Set<() => void>()
  private value: T
  constructor(value: T) {
    this.value = value
  }
  readonly get = (): T => this.value
  readonly set = (value: T): void => {
    if (Object.is(value, this.value)) return
    this.value = value
    for (const listener of [...this.listeners]) listener()
  }
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }
}

export const useValue = <T>(value: Value<T>): T => useSyncExternalStore(value.subscribe, value.get)
