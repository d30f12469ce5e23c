import Positioning

/// The sensors that form this machine's compass.
struct IIOSensors {
    /// One measurement.
    enum Reading {
        case motion(MotionSample)
        /// A heading computed by the sensor.
        case heading(Double, North)
        /// The unit of the sensor's heading is not known yet.
        case unknownUnit
    }

    /// A heading computed by a sensor hub.
    private struct Rotation {
        let file: SysfsFile
        let offset: Double
        let north: North
        var scale: RotationScale
    }

    let device: IIODevice
    /// Rotates the magnetometer's axes to the device's.
    let mount: Matrix3
    private let turn: Matrix3
    private let field: IIOTriad?
    private let acceleration: IIOTriad?
    private let gyroscope: IIOTriad?
    private var rotation: Rotation?

    /// Finds the sensors; `nil` when no device measures the field or computes a heading.
    init?(_ settings: CompassSettings) {
        let all = IIODevice.all(below: settings.folder)
        let selected = all.filter { device in settings.device.map(device.matches) ?? true }
        turn = settings.mount ?? .identity
        if let (device, field) = Self.first(.field, in: selected) {
            let nearby = [device] + all.filter { $0.id != device.id }
            let helper = Self.first(.acceleration, in: nearby.filter { !$0.isInBase })
            let gyroscope = Self.first(.rotation, in: nearby.filter { !$0.isInBase })?.1
            // Without an accelerometer prefer a tilt-compensated heading of the sensor, if it has one.
            let rotation =
                helper == nil ? Self.rotation(of: device, tilted: true, settings.rotationScale) : nil
            self.device = device
            mount = turn * field.mount
            self.rotation = rotation
            self.field = rotation == nil ? field : nil
            acceleration = helper?.1
            self.gyroscope = rotation == nil ? gyroscope : nil
            return
        }
        for device in selected {
            guard let rotation = Self.rotation(of: device, tilted: false, settings.rotationScale) else {
                continue
            }
            self.device = device
            self.rotation = rotation
            mount = turn
            field = nil
            acceleration = nil
            gyroscope = nil
            return
        }
        return nil
    }

    /// The names of the usable devices.
    static func names(_ settings: CompassSettings) -> [String] {
        IIODevice.all(below: settings.folder).filter {
            IIOTriad(.field, of: $0) != nil || rotation(of: $0, tilted: false, nil) != nil
        }.map(\.title)
    }

    var helpers: [String] {
        [(acceleration, "accelerometer"), (gyroscope, "gyroscope")].filter { $0.0 != nil }.map(\.1)
    }

    /// Whether no calibration is needed: the field comes from a sensor hub that removes the device's iron, or
    /// is not used.
    var calibratesItself: Bool { field == nil || device.name == "magn_3d" }

    var measuresField: Bool { field != nil }

    /// Identifies the sensors, to detect when another search finds different ones.
    struct Choice: Equatable {
        let folder: String
        let name: String?
        let helpers: [String]
        let mount: Matrix3
    }

    var choice: Choice {
        Choice(folder: device.folder, name: device.name, helpers: helpers, mount: mount)
    }

    /// Whether the open files are still those of the devices.
    var isCurrent: Bool {
        [field, acceleration, gyroscope].compactMap { $0 }.allSatisfy(\.isCurrent)
            && rotation?.file.isCurrent != false
    }

    mutating func sample(at time: Double) -> Result<Reading, SysfsError> {
        do throws(SysfsError) {
            return .success(try read(at: time))
        } catch {
            return .failure(error)
        }
    }

    private mutating func read(at time: Double) throws(SysfsError) -> Reading {
        if var rotation {
            let raw = try rotation.file.number()
            let heading = rotation.scale.heading(raw, offset: rotation.offset)
            self.rotation = rotation
            return heading.map { .heading($0, rotation.north) } ?? .unknownUnit
        }
        guard let field else { throw .gone }
        var sample = MotionSample(time: time, field: try field.read())
        if let acceleration {
            sample.acceleration = turn * (acceleration.mount * (try acceleration.read()))
        }
        if let gyroscope { sample.rotation = turn * (gyroscope.mount * (try gyroscope.read())) }
        return .motion(sample)
    }

    private static func first(_ kind: IIOTriad.Kind, in devices: [IIODevice]) -> (IIODevice, IIOTriad)? {
        for device in devices {
            if let triad = IIOTriad(kind, of: device) { return (device, triad) }
        }
        return nil
    }

    private static func rotation(of device: IIODevice, tilted: Bool, _ configured: Double?) -> Rotation? {
        let names: [(String, North)] = [
            ("magnetic_tilt_comp", .magnetic), ("true_tilt_comp", .geographic), ("magnetic", .magnetic),
            ("true", .geographic),
        ]
        for (name, north) in tilted ? Array(names.prefix(2)) : names {
            let attribute = "in_rot_from_north_\(name)"
            if let file = device.file("\(attribute)_input") {
                let scale = RotationScale(configured: configured ?? 1, stated: nil)
                return Rotation(file: file, offset: 0, north: north, scale: scale)
            }
            guard let file = device.file("\(attribute)_raw") else { continue }
            let stated = device.number(["\(attribute)_scale", "in_rot_scale"])
            return Rotation(
                file: file,
                offset: device.number(["\(attribute)_offset", "in_rot_offset"]) ?? 0,
                north: north,
                scale: RotationScale(configured: configured, stated: stated)
            )
        }
        return nil
    }
}
