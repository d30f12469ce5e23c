import Controller
import Flare

/// A word of the command line that means an object of the place.
struct ObjectSelector {
    private let word: String

    init(_ word: String) { self.word = word }

    /// Those that are meant: by identifier or name, else by what topics make of their name.
    func choice<Object>(
        of objects: [Object],
        id: (Object) -> FlareID,
        name: (Object) -> String
    ) -> [Object] {
        let found = objects.filter { name($0) == word || id($0).description == word }
        return found.isEmpty ? objects.filter { SlugRegistry.slug(from: name($0)) == word } : found
    }
}
