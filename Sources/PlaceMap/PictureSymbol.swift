/// What a thing is, as a picture in its mark.
enum PictureSymbol: Sendable, Hashable {
    case thermostat, cover, fan, lock, unlocked, valve, drop, outlet, door, motion, warning, sensor, power,
        generic

    /// An outline in a square of 24, the same as on the kiosk page.
    var outline: String {
        switch self {
        case .thermostat: "M10 14V5a2 2 0 0 1 4 0v9a4.5 4.5 0 1 1-4 0zM12 9v8.5"
        case .cover: "M3 3.5h18M5 3.5v17h14v-17M5 7.5h14M5 11.5h14M12 11.5v4M10.5 15.5h3"
        case .fan:
            "M12 12c-4-1-5-9-.5-9s3 6 .5 9zM12 12c3-3 10.5-1 9 3s-6.5 1-9-3zM12 12c1 4-4.5 9-8 6s2.5-6 8-6z"
        case .lock: "M6 11h12v9.5H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11M12 14.5v2.5"
        case .unlocked: "M6 11h12v9.5H6zM8.5 11V7a3.5 3.5 0 0 1 6.8-1.2M12 14.5v2.5"
        case .valve:
            "M12 13.5a4.5 4.5 0 1 1 0 .1zM12 9.5V5M8 4.5h8M2.5 13.5h5M16.5 13.5h5"
        case .drop: "M12 3c4 5 6 7.5 6 11a6 6 0 0 1-12 0c0-3.5 2-6 6-11z"
        case .outlet: "M4 4h16v16H4zM9.5 10v3.5M14.5 10v3.5"
        case .door: "M6 21V3h12v18M3.5 21h17M14.5 12v.1"
        case .motion:
            "M13 3a1.8 1.8 0 1 1 0 .1zM12.5 8L9 9.5 7.5 13M12.5 8l-1 6 4 3 1 4.5M11.5 14L9 17.5 5.5 20M12.5 8l2.5 3.5 3 .5"
        case .warning: "M12 3.5L22 20.5H2zM12 10v5M12 17.8v.1"
        case .sensor: "M4 16a8.5 8.5 0 1 1 16 0M12 14l4-5M4 20h16"
        case .power: "M12 3v9M7 5.8a8 8 0 1 0 10 0"
        case .generic: "M12 2.5l8.5 4.8v9.4L12 21.5l-8.5-4.8V7.3zM3.8 7.5L12 12l8.2-4.5M12 12v9.3"
        }
    }
}
