import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compactJson } from '../../src/messages/json.ts'

describe('compactJson', () => {
  test('removes white space between the parts, and keeps numbers as they are written', () => {
    expect(compactJson('{"price" : 10.50, "list" : [{"id": 1}, \n null],\t"none" : {}\r\n}')).toBe(
      '{"price":10.50,"list":[{"id":1},null],"none":{}}',
    )
  })

  test('keeps strings as they are', () => {
    const json = String.raw`{"a b" : "x \" : , ", "c" : "\\", "d" : "\\\" : ", "e" : " , "}`
    expect(compactJson(json)).toBe(String.raw`{"a b":"x \" : , ","c":"\\","d":"\\\" : ","e":" , "}`)
  })

  test('writes any value as JSON.stringify does', () => {
    const loose = (value: unknown): string => JSON.stringify(value, null, ' \t')
    fc.assert(fc.property(fc.jsonValue(), (value) => compactJson(loose(value)) === JSON.stringify(value)))
  })

  test('ends where a string does not end', () => {
    expect(compactJson('{"a" : "b c')).toBe('{"a":"b c')
  })
})
