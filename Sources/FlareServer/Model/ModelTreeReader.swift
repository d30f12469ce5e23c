import Flare
import JSON

/// Reads a model tree and collects all problems.
struct ModelTreeReader {
    private let limit: Int
    private let makeID: () -> FlareID
    private var tree = ModelTree()
    private var problems: [ModelError] = []
    private var indices: [FlareID: Int] = [:]
    /// References between objects, checked when all are read.
    private var references: [(place: String, object: ObjectReference)] = []

    private var isFull = false
    /// Whether reading stopped early because of too many problems.
    private var isTruncated = false

    /// The limit of reported problems; beyond it, reading stops.
    private static let maximumProblems = 1000

    init(limit: Int, makeID: @escaping () -> FlareID) {
        self.limit = limit
        self.makeID = makeID
    }

    mutating func read(_ json: JSONValue) throws(ModelErrors) -> ModelTree {
        if json.object == nil {
            addProblem("", "the file must be an object with a list of environments")
        } else if json["environments"] == nil {
            addProblem("environments", "is missing")
        } else {
            each(of: json, "environments", at: "") { reader, json, place in
                reader.environment(json, at: place)
            }
        }
        for (place, object) in references where !exists(object) {
            addProblem(place, "there is no \(object.kind.rawValue) \(object.id) in the file")
        }
        guard problems.isEmpty else { throw ModelErrors(problems: problems, areAll: !isTruncated) }
        return tree
    }

    private func exists(_ object: ObjectReference) -> Bool {
        indices[object.id].map { tree.records[$0].kind == object.kind } ?? false
    }

    private mutating func addProblem(_ place: String, _ message: String) {
        if problems.count < Self.maximumProblems {
            problems.append(ModelError(place: place, message: message))
        } else {
            isTruncated = true
        }
    }

    // MARK: - Objects

    private mutating func environment(_ json: JSONValue, at place: String) {
        let members = self.members(of: .environment, json, at: place)
        let id = add(.environment, members, json, at: place)
        each(of: json, "zones", at: place) { $0.zone($1, in: id, at: $2) }
        each(of: json, "devices", at: place) { reader, json, place in
            var members = reader.members(of: .device, json, at: place)
            reader.parent("environment", id, &members, json, at: place)
            reader.reference("zone", .zone, &members, json, at: place)
            reader.reference("nearest", .thing, &members, json, at: place)
            reader.add(.device, members, json, at: place)
        }
    }

    private mutating func zone(_ json: JSONValue, in environment: FlareID, at place: String) {
        var members = self.members(of: .zone, json, at: place)
        parent("environment", environment, &members, json, at: place)
        let id = add(.zone, members, json, at: place)
        each(of: json, "things", at: place) { reader, json, place in
            var members = reader.members(of: .thing, json, at: place)
            reader.parent("environment", environment, &members, json, at: place)
            reader.parent("zone", id, &members, json, at: place)
            reader.add(.thing, members, json, at: place)
        }
    }

    @discardableResult
    private mutating func add(
        _ kind: FlareClass,
        _ members: JSONObject,
        _ json: JSONValue,
        at place: String
    ) -> FlareID {
        let given = json["_id"]
        let stated = given?.string.flatMap { FlareID($0) }
        let id = stated ?? makeID()
        if let given, stated == nil {
            addProblem("\(place)._id", "must be 24 hexadecimal digits (is \(given.excerpt))")
        }
        if given == nil { tree.generatedIDs.insert(id) }
        if let earlier = indices[id] {
            addProblem("\(place)._id", "\(id) is already the identifier of \(tree.places[earlier])")
        }
        guard tree.records.count < limit else {
            addProblem(place, "too many objects; at most \(limit) are allowed")
            isFull = true
            return id
        }
        indices[id] = indices[id] ?? tree.records.count
        tree.records.append(FlareRecord(kind, id, members))
        tree.places.append(place)
        return id
    }

    /// Calls `body` for each object of a list; an absent list is empty.
    private mutating func each(
        of json: JSONValue,
        _ key: String,
        at place: String,
        _ body: (inout ModelTreeReader, JSONValue, String) -> Void
    ) {
        let place = place.isEmpty ? key : "\(place).\(key)"
        switch json[key] {
        case nil, .null?:
            return
        case .array(let elements)?:
            for (index, element) in elements.enumerated() {
                guard !isFull else { return }
                guard problems.count < Self.maximumProblems else {
                    isTruncated = true
                    return
                }
                let place = "\(place)[\(index)]"
                if element.object == nil {
                    addProblem(place, "must be an object (is \(element.excerpt))")
                } else {
                    body(&self, element, place)
                }
            }
        case let value?:
            addProblem(place, "must be a list (is \(value.excerpt))")
        }
    }

    // MARK: - References

    /// Sets the parent from the nesting; an explicit parent must be the same.
    private mutating func parent(
        _ key: String,
        _ id: FlareID,
        _ members: inout JSONObject,
        _ json: JSONValue,
        at place: String
    ) {
        members[key] = .string(id.description)
        guard let value = json[key], !value.isNull else { return }
        if value.string.flatMap({ FlareID($0) }) != id {
            addProblem("\(place).\(key)", "is \(value.excerpt), but the object is in \(key) \(id)")
        }
    }

    private mutating func reference(
        _ key: String,
        _ kind: FlareClass,
        _ members: inout JSONObject,
        _ json: JSONValue,
        at place: String
    ) {
        guard let value = json[key], !value.isNull else { return }
        guard let id = value.string.flatMap({ FlareID($0) }) else {
            addProblem("\(place).\(key)", "must be 24 hexadecimal digits (is \(value.excerpt))")
            return
        }
        members[key] = .string(id.description)
        references.append(("\(place).\(key)", ObjectReference(kind, id)))
    }

    // MARK: - Members

    private mutating func members(
        of kind: FlareClass,
        _ json: JSONValue,
        at place: String
    ) -> JSONObject {
        let schema = FlareSchema(kind)
        var members: JSONObject = [:]
        for (name, value) in (json.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            let place = "\(place).\(name)"
            // Unknown members are ignored.
            guard !schema.isStructural(name), !value.isNull, let field = schema.fields[name] else { continue }
            var found: [ModelError] = []
            members[name] = field.read(value, at: place, &found)
            for problem in found { addProblem(problem.place, problem.message) }
        }
        return members
    }
}
