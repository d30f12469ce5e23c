import JSON

/// What the files define for others to name.
struct DefinedNames {
    /// A control of the files.
    struct Control {
        /// In the joined files, where names are unique.
        let name: String
        let parameters: JSONObject
        let className: String
        let limits: ValueLimits

        /// The built-in control that the class is; `nil` for the generic one and for own classes.
        var builtIn: PropertyControl? { BuiltInClasses.propertyControls[className] }
    }

    /// `nil` if no file has screens: then what is named is not checked.
    private(set) var screens: [String]?
    private(set) var screenSet: Set<String> = []
    /// By name; the first of two files goes before.
    private(set) var controls: [String: Control] = [:]
    /// Those of a later file under names that are taken, by file.
    private var others: [Int: [String: Control]] = [:]
    /// By name; the first of two files goes before.
    private(set) var colours: [String: String] = [:]

    mutating func addScreens(_ names: [String], areGiven: Bool) {
        guard areGiven else { return }
        screens = (screens ?? []) + names.filter { !screenSet.contains($0) }
        screenSet.formUnion(names)
    }

    mutating func add(_ colours: [Experience.Colour]) {
        for colour in colours where self.colours[colour.name] == nil {
            self.colours[colour.name] = colour.value
        }
    }

    /// Adds a control of a file; one that differs from another file's of its name gets a name of its own.
    ///
    /// - Returns: Its name; `nil` if another file has the same one.
    mutating func add(
        _ name: String,
        _ className: String,
        _ parameters: JSONObject,
        _ limits: ValueLimits,
        file: Int
    ) -> String? {
        func control(_ name: String) -> Control {
            Control(name: name, parameters: parameters, className: className, limits: limits)
        }
        guard let first = controls[name] else {
            controls[name] = control(name)
            return name
        }
        if first.className == className, first.parameters == parameters { return nil }
        var number = 2
        while controls["\(name)~\(number)"] != nil { number += 1 }
        let unique = "\(name)~\(number)"
        controls[unique] = control(unique)
        others[file, default: [:]][name] = controls[unique]
        return unique
    }

    /// The control that a file means by a name: its own, else that of any file.
    func control(_ name: String, in file: Int) -> Control? { others[file]?[name] ?? controls[name] }

    /// In an order that does not change, for hints.
    var controlNames: [String] { controls.keys.sorted() }
}

/// The numbers that a control offers, as far as they are given.
struct ValueLimits {
    var minimum: Double?
    var maximum: Double?
    var step: Double?
    var unit: String?
}

/// The classes that need no module.
enum BuiltInClasses {
    static let devices = ["AylaDevice", "ALDevice"]
    static let screens = [
        "DeviceList", "DeviceDetails", "ThisDevice", "Compass", "Map", "Overview", "SignIn", "Schedule",
    ]
    static let thingControls = [
        "generic": "Generic", "light": "Light", "thermostat": "Thermostat", "cover": "Cover",
    ]
    /// By class: `DecimalInput` is `decimal_input`.
    static let propertyControls = Dictionary(
        uniqueKeysWithValues: PropertyControl.allCases.map { (className(of: $0.rawValue), $0) }
    )
    static let controls =
        PropertyControl.allCases.map { className(of: $0.rawValue) }
        + ["Generic", "Light", "Thermostat", "Cover", "ACDeviceControl"]

    /// `DecimalInput` of `decimal_input`.
    static func className(of control: String) -> String {
        control.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
