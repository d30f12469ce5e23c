/// What the files define for others to name.
struct DefinedNames {
    /// A control of the files.
    struct Control {
        let className: String
        let limits: ValueLimits

        /// The built-in control that the class is; `nil` for the generic one and for own classes.
        var builtIn: PropertyControl? { BuiltInClasses.propertyControls[className] }
    }

    /// `nil` if no file has screens: then what is named is not checked.
    private(set) var screens: [String]?
    private(set) var screenSet: Set<String> = []
    var controls: [String: Control] = [:]
    var colours: Set<String> = []

    mutating func setScreens(_ names: [String], areGiven: Bool) {
        screens = areGiven ? names : nil
        screenSet = Set(names)
    }

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
