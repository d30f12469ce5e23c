package import JSON
import Text

/// The names of the objects of a model, for a person who has no file of it.
package enum ModelNames {
    private static let start = "environments["

    /// A text with the name of each object in the place of its path, such as `environments[0].zones[1]`.
    ///
    /// The path of an object without a name stays.
    package static func inserted(in text: String, of model: JSONValue) -> String {
        var result = ""
        var rest = text[...]
        while !rest.isEmpty {
            guard rest.hasPrefix(start) else {
                result.append(rest.removeFirst())
                continue
            }
            let (object, after) = walk(rest, from: model)
            guard let name = object["name"]?.string, !name.isEmpty, after.startIndex > rest.startIndex else {
                result.append(rest.removeFirst())
                continue
            }
            result += QuotedValue.of(name)
            rest = after
        }
        return result
    }

    /// Follows a path as far as it leads to elements of lists.
    ///
    /// - Returns: The last one, and what is behind its path.
    private static func walk(_ path: Substring, from model: JSONValue) -> (JSONValue, Substring) {
        var (object, rest) = (model, path)
        while true {
            let step = rest.first == "." ? rest.dropFirst() : rest
            let key = step.prefix { $0.isLetter }
            let index = step.dropFirst(key.count).dropFirst().prefix { $0.isNumber }
            let end = step.dropFirst(key.count + 1 + index.count)
            guard step.dropFirst(key.count).first == "[", end.first == "]", let number = Int(index),
                let list = object[String(key)]?.array, list.indices.contains(number)
            else { return (object, rest) }
            (object, rest) = (list[number], end.dropFirst())
        }
    }
}
