import FoundationEssentials
import Glibc
import Positioning

/// A device with one or several sensors, which the kernel shows as a directory.
/// - Source: Linux, Documentation/ABI/testing/sysfs-bus-iio.
struct IIODevice {
    let folder: String
    /// `iio:device0`.
    let id: String
    /// The driver's name; some drivers have none.
    let name: String?
    /// Distinguishes sensors of the same kind: `accel-display`.
    let label: String?

    private static let prefix = "iio:device"
    private static let mostDevices = 64
    private static let longestText = 4096

    /// The devices in a directory such as `/sys/bus/iio/devices`, ordered by number.
    static func all(below root: String) -> [IIODevice] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let numbers = entries.filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }
        return numbers.sorted().prefix(mostDevices).map { number in
            let folder = "\(root)/\(prefix)\(number)"
            return IIODevice(
                folder: folder,
                id: "\(prefix)\(number)",
                name: text(folder + "/name"),
                label: text(folder + "/label") ?? text(folder + "/location")
            )
        }
    }

    /// The name for the user.
    var title: String { name ?? id }

    /// Whether a configured name refers to the device.
    func matches(_ wanted: String) -> Bool { [id, name, label].contains(wanted) }

    /// Whether it is in the base of a laptop, which does not turn with the screen.
    var isInBase: Bool { label?.contains("base") == true }

    func file(_ attribute: String) -> SysfsFile? { SysfsFile("\(folder)/\(attribute)") }

    /// The number in the first of the files that contains one.
    ///
    /// Each file is read once: `lazy.compactMap{}.first` would read it twice, and trap when the sensor has gone by then.
    func number(_ attributes: [String]) -> Double? {
        for attribute in attributes {
            if let number = try? file(attribute)?.number() { return number }
        }
        return nil
    }

    /// The matrix in the first of the files that contains one.
    func matrix(_ attributes: [String]) -> Matrix3? {
        for attribute in attributes {
            if let matrix = Self.text("\(folder)/\(attribute)").flatMap({ Matrix3($0) }) { return matrix }
        }
        return nil
    }

    /// A file's first line; `nil` when it is missing, empty or not printable.
    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: longestText)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0, let text = String(validating: bytes.prefix(count), as: UTF8.self) else { return nil }
        let trimmed = text.prefix { !$0.isNewline && $0 != "\0" }
        return trimmed.isEmpty || trimmed.count > 400 ? nil : String(trimmed)
    }
}

/// A sensor with three axes.
struct IIOTriad {
    enum Kind: String {
        case field = "magn"
        case acceleration = "accel"
        case rotation = "anglvel"

        /// Conversion from the kernel's unit: gauss to microtesla.
        var factor: Double { self == .field ? 100 : 1 }
    }

    private let files: [SysfsFile]
    private let scale: Vector3
    private let offset: Vector3
    /// Rotates the sensor's axes to the device's.
    let mount: Matrix3

    private static let axes = ["x", "y", "z"]

    /// `nil` when the device has no such sensor.
    init?(_ kind: Kind, of device: IIODevice) {
        let name = "in_\(kind.rawValue)"
        mount =
            device.matrix(["\(name)_mount_matrix", "in_mount_matrix", "mount_matrix"]) ?? .identity
        let ready = Self.axes.compactMap { device.file("\(name)_\($0)_input") }
        if ready.count == 3 {
            files = ready
            scale = Vector3(repeating: kind.factor)
            offset = .zero
            return
        }
        files = Self.axes.compactMap { device.file("\(name)_\($0)_raw") }
        guard files.count == 3 else { return nil }
        func each(_ attribute: String, otherwise: Double) -> Vector3 {
            let numbers = Self.axes.map {
                device.number(["\(name)_\($0)_\(attribute)", "\(name)_\(attribute)"]) ?? otherwise
            }
            return Vector3(numbers[0], numbers[1], numbers[2])
        }
        scale = kind.factor * each("scale", otherwise: 1)
        offset = each("offset", otherwise: 0)
    }

    /// The current measurement in our unit and the sensor's axes.
    func read() throws(SysfsError) -> Vector3 {
        let raw = Vector3(try files[0].number(), try files[1].number(), try files[2].number())
        return (raw + offset) * scale
    }

    var isCurrent: Bool { files.allSatisfy(\.isCurrent) }
}
