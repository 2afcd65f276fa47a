/// The number of a token in a model's vocabulary, from 0.
package typealias TokenID = Int32
