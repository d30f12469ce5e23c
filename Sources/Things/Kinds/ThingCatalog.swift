package import Flare
package import Profiles
import JSON
import Threading

/// All profiles with the things that the configuration assigns to them, and the texts of all languages.
///
/// Copies share everything; two are equal when one is a copy of the other, or neither has a profile.
package struct ThingCatalog: Sendable, Hashable {
    let storage: Storage

    final class Storage: Sendable {
        let library: ProfileLibrary
        let kinds: [ThingKind]
        /// By `oemModel`: the type without `model`, those with one, and the only one.
        let byName: [String: Entry]
        /// The only type of a `model`.
        let byModel: [String: ThingKind]
        let byID: [FlareID: ThingKind]
        let bySlug: [String: ThingKind]

        /// The types of one name.
        struct Entry: Sendable {
            var plain: ThingKind?
            var byModel: [String: ThingKind] = [:]
            /// If there is just one.
            var only: ThingKind? { plain == nil && byModel.count == 1 ? byModel.first?.value : plain }
        }

        let language: String
        /// The shapes of things, as far as they are known.
        let shapes = Locked(KnownShapes())

        init(_ library: ProfileLibrary, _ assignments: [String: String], _ language: String) {
            self.library = library
            self.language = language
            kinds = library.profiles.map { ThingKind($0) }
            var byName: [String: Entry] = [:]
            var models: [String: [ThingKind]] = [:]
            for kind in kinds {
                if let model = kind.model {
                    byName[kind.name, default: Entry()].byModel[model] = kind
                    models[model, default: []].append(kind)
                } else {
                    byName[kind.name, default: Entry()].plain = kind
                }
            }
            self.byName = byName
            byModel = models.compactMapValues { $0.count == 1 ? $0.first : nil }
            var (byID, bySlug): ([FlareID: ThingKind], [String: ThingKind]) = ([:], [:])
            for (thing, name) in assignments {
                guard let kind = Self.kind(named: name, model: nil, in: byName) else { continue }
                bySlug[thing] = kind
                if let id = FlareID(thing) { byID[id] = kind }
            }
            (self.byID, self.bySlug) = (byID, bySlug)
        }

        static func kind(named name: String, model: String?, in byName: [String: Entry]) -> ThingKind? {
            if let entry = byName[name] {
                return model.flatMap { entry.byModel[$0] } ?? entry.only
            }
            guard let slash = name.lastIndex(of: "/") else { return nil }
            return byName[String(name[..<slash])]?.byModel[String(name[name.index(after: slash)...])]
        }
    }

    /// No profiles: every thing is what its data say.
    package static var none: ThingCatalog { ThingCatalog(ProfileLibrary()) }

    /// - Parameters:
    ///   - assignments: Profiles by the short name or identifier of a thing; `name`, or `name/model` where several
    ///     types share a name.
    ///   - language: The configured language.
    package init(_ library: ProfileLibrary, assignments: [String: String] = [:], language: String = "en") {
        storage = Storage(library, assignments, language)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.kinds.isEmpty && right.kinds.isEmpty
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(kinds.isEmpty) }

    /// In the order of the library.
    package var kinds: [ThingKind] { storage.kinds }

    /// The kind of a thing, found in constant time; `nil` for one without a profile.
    /// - Parameter slug: Its short name.
    /// - Source: contrib/contract/profiles.md, "Which profile a thing has".
    package func kind(of thing: FlareThing, slug: @autoclosure () -> String?) -> ThingKind? {
        if !storage.bySlug.isEmpty {
            if let kind = storage.byID[thing.id] { return kind }
            if let kind = slug().flatMap({ storage.bySlug[$0] }) { return kind }
        }
        if storage.byName.isEmpty { return nil }
        let data = thing.data
        let model = data["model"]?.string
        if let name = data["profile"]?.string,
            let kind = Storage.kind(named: name, model: model, in: storage.byName)
        {
            return kind
        }
        if let name = data["oemModel"]?.string {
            guard let entry = storage.byName[name] else { return nil }
            return model.map { entry.byModel[$0] ?? entry.plain } ?? entry.only
        }
        return model.flatMap { storage.byModel[$0] }
    }

    /// The shape of a thing; known for things alike.
    /// - Parameter slug: Its short name.
    package func shape(of thing: FlareThing, slug: @autoclosure () -> String? = nil) -> ThingShape {
        // Without assignments the data alone decide on the kind.
        let isOfData = storage.bySlug.isEmpty
        if isOfData, let shape = storage.shapes.withLock({ $0.last(of: thing) }) { return shape }
        let kind = kind(of: thing, slug: slug())
        return storage.shapes.withLock { $0.shape(of: thing, kind) }
    }

    /// What a thing's data name without a profile being found: what nobody has, or what several types share.
    ///
    /// - Parameter slug: Its short name.
    package func missingProfile(of thing: FlareThing, slug: @autoclosure () -> String? = nil)
        -> MissingProfile?
    {
        guard !storage.kinds.isEmpty else { return nil }
        let data = thing.data
        if let value = data["profile"], !value.isNull {
            let name = value.string ?? value.text
            let isKnown =
                value.string != nil
                && Storage.kind(named: name, model: data["model"]?.string, in: storage.byName) != nil
            return isKnown ? nil : MissingProfile(key: "profile", name: name, models: models(of: name))
        }
        // Other programs use that name as well, so an unknown one is nobody's mistake.
        guard let name = data["oemModel"]?.string, storage.byName[name] != nil,
            kind(of: thing, slug: slug()) == nil
        else { return nil }
        return MissingProfile(key: "oemModel", name: name, models: models(of: name))
    }

    private func models(of name: String) -> [String] { storage.byName[name]?.byModel.keys.sorted() ?? [] }

    /// The names by which profiles can be chosen.
    package var names: [String] {
        storage.byName.keys.sorted()
    }

    // MARK: Texts

    /// The configured language.
    package var language: String { storage.language }

    /// The text of a key in a language, else the key itself.
    package func title(_ key: String, in language: String) -> String {
        text(key, in: language) ?? key
    }

    /// The text of a key in a language; `nil` if no table has it.
    package func text(_ key: String, in language: String) -> String? {
        storage.library.strings.text(key, in: language)
    }
}

/// Shapes by what they follow from; a bounded cache.
struct KnownShapes {
    /// Most names of keys and actions in all shapes.
    static let capacity = 20_000

    /// Most names in all forms that things had last.
    private static let recentCapacity = 50_000

    private var shapes: [ThingForm: ThingShape] = [:]
    private var weight = 0
    /// The last form of a thing and its shape: nearly always it has them still.
    private var recent: [FlareID: (form: ThingForm, shape: ThingShape)] = [:]
    /// The thing that was asked for last, and its shape: a turn asks for the same one again and again.
    private var last: Last?

    private final class Last: Sendable {
        let thing: FlareThing
        let kind: ThingKind?
        let shape: ThingShape

        init(_ thing: FlareThing, _ kind: ThingKind?, _ shape: ThingShape) {
            (self.thing, self.kind, self.shape) = (thing, kind, shape)
        }

        func isOf(_ thing: FlareThing) -> Bool { self.thing.isAlike(thing) }
    }

    /// The shape of this thing, if it was asked for last and its data are the same.
    func last(of thing: FlareThing) -> ThingShape? {
        last.flatMap { $0.isOf(thing) ? $0.shape : nil }
    }
    private var recentWeight = 0

    mutating func shape(of thing: FlareThing, _ kind: ThingKind?) -> ThingShape {
        if let last, last.kind == kind, last.isOf(thing) { return last.shape }
        let shape = found(thing, kind)
        last = Last(thing, kind, shape)
        return shape
    }

    private mutating func found(_ thing: FlareThing, _ kind: ThingKind?) -> ThingShape {
        if let last = recent[thing.id], last.form.isForm(of: thing, kind: kind) { return last.shape }
        let form = ThingForm(thing, kind: kind)
        let shape = shapes[form] ?? ThingShape(thing, kind: kind)
        guard form.weight <= Self.capacity / 40 else { return shape }
        if shapes[form] == nil {
            weight += form.weight
            if weight > Self.capacity { (shapes, recent, weight, recentWeight) = ([:], [:], form.weight, 0) }
            shapes[form] = shape
        }
        recentWeight += form.weight
        if recentWeight > Self.recentCapacity { (recent, recentWeight) = ([:], form.weight) }
        recent[thing.id] = (form, shape)
        return shape
    }
}

extension FlareThing {
    /// Whether both surely have the same shape, found without reading their data; `false` for some that have it too.
    fileprivate func isAlike(_ other: FlareThing) -> Bool {
        id == other.id && data.isCopy(of: other.data) && actions == other.actions
            && (position == nil) == (other.position == nil)
    }
}
