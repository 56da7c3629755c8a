import type { functions, types } from './functions.ts'
import type { ArgumentTypes, JsonTypes, ResultTypes } from './types.ts'

/** An entry of the generated table `functions`: arguments, those with a default, and the form of the result. */
type Entry = {
  args: Fields
  options?: Fields
  /** What the JSON of an argument is. */
  takes?: Fields
  returns: string
  columns?: Fields
}
type Fields = { readonly [name: string]: string }

type Named = typeof types

/**
 * A value of a PostgreSQL type: of an enum one of its labels, of a composite type an object of its columns. `Absent` is
 * null where any column and element may be null.
 */
type Value<Type, Scalars, Absent = never> = Type extends `${infer Base} | null`
  ? Value<Base, Scalars, Absent> | null
  : Type extends `${infer Element}[]`
    ? readonly (Value<Element, Scalars, Absent> | Absent)[]
    : Type extends keyof Scalars
      ? Scalars[Type]
      : Type extends keyof Named
        ? Named[Type] extends readonly (infer Label)[]
          ? Label
          : { [Column in keyof Named[Type]]: Value<Named[Type][Column], Scalars, Absent> | Absent }
        : never

type Argument<Type> = Value<Type, Omit<ResultTypes, keyof ArgumentTypes> & ArgumentTypes, null> | null

type Arguments<F extends Entry> = {
  [Name in keyof F['args']]: Argument<TypeOf<F, Name, F['args'][Name]>>
} & { [Name in keyof F['options']]?: Argument<TypeOf<F, Name, F['options'][Name]>> }

type TypeOf<F extends Entry, Name, Type> = Name extends keyof F['takes'] ? F['takes'][Name] : Type

type Result<F extends Entry> = F['returns'] extends 'rows'
  ? { [Column in keyof F['columns']]: Value<F['columns'][Column], ResultTypes> }[]
  : F['returns'] extends 'void'
    ? undefined
    : F['returns'] extends `supply.${string}`
      ? Value<F['returns'], JsonTypes>
      : Value<F['returns'], ResultTypes> | null

/** By `schema.name`, the named arguments and the result of each function. */
export type Functions = {
  [Name in keyof typeof functions]: {
    args: keyof Arguments<(typeof functions)[Name]> extends never
      ? Record<string, never>
      : Arguments<(typeof functions)[Name]>
    result: Result<(typeof functions)[Name]>
  }
}

/** An argument of a named type of the schema `supply`. */
export type SupplyArgument<Name extends keyof Named> = NonNullable<Argument<Name>>
