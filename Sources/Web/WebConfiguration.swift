package import HTTPListener
package import JSON
import OperatingSystem
package import PlaceMap

/// The settings of the web listener.
package struct WebConfiguration: Sendable, Hashable {
    /// Address, access and limits of the listener.
    package var listener: HTTPListenerConfiguration
    /// Origins whose pages may show the kiosk page in a frame.
    package var frameAncestors: [String] = []
    /// Where browsers find the page, if that is another address than the listener's.
    package var publicURL: String?
    /// The colours of `/api/map`.
    package var mapStyle = PictureStyle.auto
    /// The members of `/api/experience`, apart from `language`.
    package var experience: JSONObject = [:]
    /// The folder of own screens, controls and icons; `nil` for none.
    package var modulesFolder: String?

    /// How long a command may take.
    package var commandTimeout: Duration = .seconds(10)
    /// Most commands that may wait for their answers.
    package var maximumPendingCommands = 256
    /// Most open event streams.
    package var maximumStreams = 256
    /// Interval of the events that say that the daemon lives; pages notice when three of them are missing.
    package var pingInterval: Duration = .seconds(5)
    /// Most bytes and events that are kept for streams that are behind or come back.
    package var maximumLogBytes = 192 * 1024
    package var maximumLogEvents = 2048
    /// Shortest interval between two copies of the state that differ only in movement.
    package var movementInterval: Duration = .seconds(1)
    /// How long a display stays after its last event stream was closed.
    package var displayGrace: Duration = .seconds(10)
    /// Most displays that are known at a time.
    package var maximumDisplays = 256
    /// Delay before another attempt to listen on an address that is taken.
    package var retryInterval: Duration = .seconds(10)

    package init(section: String = "web", host: String = "127.0.0.1", port: Int = 8080) {
        listener = HTTPListenerConfiguration(section: section, host: host, port: port)
        listener.errorFormat = .answer
        listener.areas = [.thingIF, .apps]
        listener.bodyLimits = WebRoute.bindingsLimits
        listener.maximumBodyBytes = 64 * 1024
        listener.firstRequestTimeout = .seconds(10)
        listener.headTimeout = .seconds(10)
        listener.bodyTimeout = .seconds(10)
        // The event streams, and as many other connections.
        listener.maximumConnections = min(512, OpenFiles.raiseLimit() / 2)
    }
}
