import type * as v from 'valibot'

/** The place of an issue that valibot found, as `items[0].productId`; empty for the whole value. */
export function placeOf(path: v.BaseIssue<unknown>['path']): string {
  return (path ?? []).reduce((place, { key }) => {
    if (typeof key === 'number') return `${place}[${key}]`
    return place === '' ? String(key) : `${place}.${String(key)}`
  }, '')
}
