import Text

/// Checks files together and joins what they say.
///
/// First the sections that stand once are read, since device types name their controls, screens and colours;
/// then the device types.
struct ProfileChecker {
    /// A place of another file.
    struct Place {
        let file: String
        let position: SourcePosition
    }

    /// The pair that is unique.
    struct TypeName: Hashable {
        let name: String
        let model: String?
    }

    /// A list of device types, found in the first pass.
    private struct Batch {
        let file: Int
        /// A list of types, or one type.
        let value: PlacedValue
        let path: ValuePath
        let needsClass: Bool
    }

    /// Classes of own modules.
    let modules: [String]
    var findings: [ProfileFindings]
    /// The file that is being checked.
    var current = 0
    var profiles: [Profile] = []
    var library = ProfileLibrary()
    var names = DefinedNames()
    /// Colours of the file that is being checked under names that another file has for other ones.
    var takenColours: [String: String] = [:]
    var typePlaces: [TypeName: Place] = [:]
    var sectionPlaces: [String: Place] = [:]
    var stringCount = 0
    private var batches: [Batch] = []
    private var typeCount = 0

    init(_ sources: [ProfileSource], modules: Set<String>) {
        findings = sources.map { ProfileFindings($0) }
        self.modules = modules.sorted()
        for (index, source) in sources.enumerated() {
            guard let tree = source.tree else { continue }
            current = index
            checkRepeatedKeys(tree, path: .top)
            top(tree, needsClass: source.needsClass)
        }
        for batch in batches {
            current = batch.file
            check(batch)
        }
    }

    // MARK: The top

    private mutating func top(_ tree: PlacedValue, needsClass: Bool) {
        switch tree.content {
        case .object(let members):
            let fields = ProfileFields(members: members, position: tree.position, path: .top)
            if !ProfileFields.isDeviceType(tree) {
                configuration(fields, needsClass: needsClass)
            } else {
                addBatch(tree, path: .top, needsClass: needsClass)
            }
        case .list:
            addBatch(tree, path: .top, needsClass: needsClass)
        default:
            wrongType(tree, .top, "an object or a list of device types")
        }
    }

    private mutating func addBatch(_ value: PlacedValue, path: ValuePath, needsClass: Bool) {
        batches.append(Batch(file: current, value: value, path: path, needsClass: needsClass))
    }

    private static let sections = KnownKeys([
        "version", "name", "applicationIdentifier", "packages", "devices", "sdkConfig", "userExperience",
        "strings",
    ])

    private mutating func configuration(_ fields: ProfileFields, needsClass: Bool) {
        checkKeys(of: fields, Self.sections)
        applicationInfo(fields)
        _ = texts("packages", in: fields)
        if let value = fields["devices"], list("devices", in: fields) != nil {
            addBatch(value, path: fields.path("devices"), needsClass: needsClass)
        }
        if isFirstSection("sdkConfig", in: fields, "it is not used"),
            let sdk = object("sdkConfig", in: fields)
        {
            library.sdk = sdkSettings(sdk)
        }
        let isFirst = isFirstSection(
            "userExperience",
            in: fields,
            "its home screen, menu and defaults are not used"
        )
        if let section = object("userExperience", in: fields), let found = experience(section) {
            if isFirst { library.experience = found } else { library.experience?.add(found) }
        }
        if let tables = object("strings", in: fields) { strings(tables) }
    }

    private mutating func applicationInfo(_ fields: ProfileFields) {
        if let value = fields["version"] {
            switch value.content {
            case .string(let text): library.application.version = library.application.version ?? text
            case .number(let number):
                library.application.version = library.application.version ?? number.text
            default: wrongType(value, fields.path("version"), "a text or a number")
            }
        }
        let name = text("name", in: fields)
        let identifier = text("applicationIdentifier", in: fields)
        library.application.name = library.application.name ?? name
        library.application.identifier = library.application.identifier ?? identifier
    }

    /// Whether this file is the first with the section; if it is not, a warning is added.
    private mutating func isFirstSection(_ key: String, in fields: ProfileFields, _ consequence: String)
        -> Bool
    {
        guard let member = fields.members.first(where: { $0.key == key }) else { return false }
        guard let first = sectionPlaces[key] else {
            sectionPlaces[key] = Place(file: findings[current].file, position: member.keyPosition)
            return true
        }
        report(
            .duplicate,
            .warning,
            at: member.keyPosition,
            "\(fields.path(key)): \(QuotedValue.of(key)) stands again "
                + "(first in \(first.file):\(first.position.line)); \(consequence)"
        )
        return false
    }

    // MARK: Device types

    private mutating func check(_ batch: Batch) {
        guard let types = batch.value.list else {
            findings[current].types += 1
            return checkType(batch.value, batch.path, of: batch)
        }
        findings[current].types += types.count
        for (index, type) in types.enumerated() where typeCount <= ProfileLimits.types {
            checkType(type, .element(batch.path, index), of: batch)
        }
    }

    private mutating func checkType(_ type: PlacedValue, _ path: ValuePath, of batch: Batch) {
        typeCount += 1
        if typeCount == ProfileLimits.types + 1 {
            tooLarge(
                batch.value,
                batch.path,
                "more than \(ProfileLimits.types) device types, counted over all files"
            )
        }
        guard typeCount <= ProfileLimits.types else { return }
        deviceType(type, path: path, needsClass: batch.needsClass)
    }
}

/// The most that files may have.
enum ProfileLimits {
    static let types = 1000
    static let properties = 200
    static let actions = 100
    static let screens = 200
    static let controls = 200
    static let colours = 500
    static let strings = 5000
}
